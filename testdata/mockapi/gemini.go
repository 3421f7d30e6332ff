package mockapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// gemini answers a request of the Gemini API. Scenarios are the common ones,
// see [common].
func (s *Server) gemini(w http.ResponseWriter, r *http.Request, raw []byte, rec Request) {
	var c geminiCall
	if err := json.Unmarshal(raw, &c); err != nil {
		rec.Error = err.Error()
		s.record(rec)
		writeError(w, Error{Status: http.StatusBadRequest, Type: "INVALID_ARGUMENT", Message: "mock: " + err.Error()})
		return
	}
	if strings.HasSuffix(r.URL.Path, ":countTokens") {
		s.record(rec)
		writeJSON(w, http.StatusOK, map[string]any{"totalTokens": 42})
		return
	}
	o := offers{}
	for _, t := range c.Tools {
		for _, f := range t.FunctionDeclarations {
			if o[f.Name] = f.Parameters; len(f.Parameters.Properties) == 0 {
				o[f.Name] = f.ParametersJSONSchema
			}
		}
	}
	var log []said
	for _, m := range c.Contents {
		one := said{user: m.Role == "user"}
		for _, p := range m.Parts {
			one.text += p.Text + "\n"
			one.result = one.result || p.FunctionResponse != nil
		}
		one.user = one.user && !one.result
		log = append(log, one)
	}
	blocks, ok := s.commonBlocks(w, &rec, o, log)
	if !ok {
		return
	}
	st := geminiStream{stream{ctx: r.Context(), w: w, srv: s}}
	if strings.Contains(r.URL.Path, ":stream") {
		st.answer(blocks)
		return
	}
	text := plainText(blocks)
	if len(c.GenerationConfig.ResponseSchema)+len(c.GenerationConfig.ResponseJSONSchema) > 0 {
		// Who is to speak next, and which model is to answer.
		text = `{"reasoning":"the person speaks next","next_speaker":"user","model_choice":"flash","complexity_score":10,"complexity_reasoning":"none"}`
	}
	writeJSON(w, http.StatusOK, geminiChunk([]any{map[string]any{"text": text}}, "STOP"))
}

// geminiCall is what of a request matters here.
type geminiCall struct {
	Contents []struct {
		Role  string
		Parts []struct {
			Text             string
			FunctionResponse json.RawMessage
		}
	}
	Tools []struct {
		FunctionDeclarations []struct {
			Name                 string
			Parameters           schema
			ParametersJSONSchema schema `json:"parametersJsonSchema"`
		}
	}
	GenerationConfig struct {
		ResponseSchema     json.RawMessage
		ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
	}
}

func geminiChunk(parts []any, finish string) map[string]any {
	c := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
	if finish != "" {
		c["finishReason"] = finish
	}
	return map[string]any{"candidates": []any{c}, "modelVersion": "mock-1",
		"usageMetadata": map[string]any{"promptTokenCount": 900, "candidatesTokenCount": 30, "totalTokenCount": 930}}
}

// geminiStream writes an answer as the chunks of a streamGenerateContent.
type geminiStream struct{ stream }

func (s *geminiStream) answer(blocks []Block) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.ping = func() {}
	for i := 0; i < len(blocks) && s.ctx.Err() == nil; i++ {
		if s.control(blocks[i]) {
			continue
		}
		switch b := blocks[i].(type) {
		case Tool:
			s.data(geminiChunk([]any{map[string]any{"functionCall": map[string]any{"name": b.Name, "args": b.Input, "id": s.srv.id("call")}}}, ""))
		case Text:
			s.each(b.S, rate(b.Rate, 400), func(w string) { s.data(geminiChunk([]any{map[string]any{"text": w}}, "")) })
		case Thinking:
			s.data(geminiChunk([]any{map[string]any{"text": b.S, "thought": true}}, ""))
		default:
			panic(fmt.Sprintf("mockapi: %T in an answer of Gemini's", b))
		}
	}
	if s.ctx.Err() == nil {
		s.data(geminiChunk([]any{map[string]any{"text": ""}}, "STOP"))
	}
}
