package envelope

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Schema is the type's JSON Schema (draft 2020-12), for those who write a
// program that replies; nil for a type that is not known. That a key may not be
// spelled in another case, or be given twice, and that a whole number has no
// point in it, a schema cannot say; Parse does.
func Schema(t Type) []byte {
	fields := t.Fields()
	if fields == nil {
		return nil
	}
	s := objectSchema(fields)
	s.Draft, s.Title = "https://json-schema.org/draft/2020-12/schema", string(t)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		panic(err) // plain data
	}
	return b.Bytes()
}

type schema struct {
	Draft       string     `json:"$schema,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        string     `json:"type"`
	Enum        []string   `json:"enum,omitempty"`
	Minimum     *int       `json:"minimum,omitempty"`
	Items       *schema    `json:"items,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
}

// properties are those of an object, in the order of its fields.
type properties []property

type property struct {
	name   string
	schema *schema
}

func (p properties) MarshalJSON() ([]byte, error) {
	entries := make([]string, len(p))
	for i, one := range p {
		text, err := json.Marshal(one.schema)
		if err != nil {
			return nil, err
		}
		entries[i] = strconv.Quote(one.name) + ":" + string(text)
	}
	return []byte("{" + strings.Join(entries, ",") + "}"), nil
}

func objectSchema(fields []Field) *schema {
	s := &schema{Type: "object"}
	for _, f := range fields {
		s.Properties = append(s.Properties, property{f.Name, f.schema()})
		if f.Required {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

func (f Field) schema() *schema {
	s := &schema{Description: f.Says, Type: string(f.Kind), Enum: f.Enum}
	switch f.Kind {
	case Count:
		s.Minimum = new(int)
	case Texts:
		s.Type, s.Items = "array", &schema{Type: "string"}
	case Objects:
		s.Type, s.Items = "array", objectSchema(f.Items)
	}
	return s
}
