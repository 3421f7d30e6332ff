package wrap

// pollOnly is what the tests set to have Linux wait as macOS always does.
var pollOnly bool
