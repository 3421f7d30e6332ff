// Package desktop shows a notice on the local desktop. It is the only room that
// knows beeep and D-Bus. Whatever the notification service does (hang, lie, be
// absent), its caller gets an answer within a deadline.
package desktop
