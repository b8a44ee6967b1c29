package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Parse reads one JSON object as an envelope of type t. It is an error that
// names the field if a required one is missing, if one is null, of another
// type, spelled in another case, or given twice.
func Parse(t Type, b []byte) (Envelope, error) {
	fields := t.Fields()
	if fields == nil {
		return nil, fmt.Errorf("there is no output type %q", t)
	}
	s := scanner{b: b}
	if s.space() != '{' {
		return nil, errNoObject
	}
	if err := s.object(0); err != nil {
		return nil, fmt.Errorf("the JSON is not well formed: %w", err)
	}
	if s.space(); s.at != len(b) {
		return nil, fmt.Errorf("the JSON object ends, and %q follows", b[s.at:min(len(b), s.at+20)])
	}
	if !utf8.Valid(b) {
		return nil, errors.New("the JSON is not well formed: it is not UTF-8")
	}
	if err := check("", fields, b); err != nil {
		return nil, err
	}
	return decode(t, b)
}

// check holds an object against the fields that it may have. Where it stands
// is told by a prefix such as "findings[2].".
func check(where string, fields []Field, b []byte) error {
	seen := make(map[string]bool, len(fields))
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil { // {
		return err
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return notWellFormed(where, err)
		}
		key, _ := token.(string) // a key is a string
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return notWellFormed(where, err)
		}
		i := slices.IndexFunc(fields, func(f Field) bool { return strings.EqualFold(f.Name, key) })
		if i < 0 {
			continue
		}
		f := fields[i]
		switch {
		case f.Name != key:
			return fmt.Errorf("%s%s: the field is spelled %s", where, shown(key), f.Name)
		case seen[key]:
			return fmt.Errorf("%s%s: given twice", where, key)
		}
		seen[key] = true
		if err := f.check(where, value); err != nil {
			return err
		}
	}
	for _, f := range fields {
		if f.Required && !seen[f.Name] {
			return fmt.Errorf("%s%s: missing", where, f.Name)
		}
	}
	return nil
}

func notWellFormed(where string, err error) error {
	if where == "" {
		return fmt.Errorf("the JSON is not well formed: %w", err)
	}
	return fmt.Errorf("%s: the JSON is not well formed: %w", strings.TrimSuffix(where, "."), err)
}

func (f Field) check(where string, value json.RawMessage) error {
	where += f.Name
	switch f.Kind {
	case Text:
		var s string
		if err := as(where, f.Kind, value, &s); err != nil {
			return err
		}
		if f.Enum != nil && !slices.Contains(f.Enum, s) {
			return fmt.Errorf("%s: %s where %s is expected", where, shown(s), f.Says)
		}
	case Bool:
		return as(where, f.Kind, value, new(bool))
	case Count:
		var n int
		if err := as(where, f.Kind, value, &n); err != nil {
			return err
		}
		if n < 0 {
			return fmt.Errorf("%s: %d is negative", where, n)
		}
	case Texts, Objects:
		var items []json.RawMessage
		if err := as(where, f.Kind, value, &items); err != nil {
			return err
		}
		for i, item := range items {
			at := fmt.Sprintf("%s[%d]", where, i)
			if f.Kind == Texts {
				if err := as(at, Text, item, new(string)); err != nil {
					return err
				}
				continue
			}
			if item[0] != '{' {
				return fmt.Errorf("%s: %s where an object is expected", at, kindOf(item))
			}
			if err := check(at+".", f.Items, item); err != nil {
				return err
			}
		}
	}
	return nil
}

// as decodes a value that must be of a kind.
func as(where string, k Kind, value json.RawMessage, v any) error {
	if value[0] != 'n' && json.Unmarshal(value, v) == nil { // null goes into anything
		return nil
	}
	return fmt.Errorf("%s: %s where %s is expected", where, kindOf(value), article(k))
}

func article(k Kind) string {
	switch k {
	case Bool:
		return "true or false"
	case Count:
		return "a whole number"
	case Texts, Objects:
		return "an " + string(k)
	}
	return "a " + string(k)
}

// kindOf names what a JSON value is.
func kindOf(value json.RawMessage) string {
	switch value[0] {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '[':
		return "an array"
	case '{':
		return "an object"
	}
	return "the number " + shown(string(value))
}

// shown is a short text of the agent's, quoted.
func shown(s string) string {
	const most = 60
	if r := []rune(s[:min(len(s), 4*(most+1))]); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// decode reads an object that is known to be valid.
func decode(t Type, b []byte) (Envelope, error) {
	switch t {
	case Plan:
		return into[PlanOutput](b)
	case Build:
		return into[BuildOutput](b)
	case Scout:
		return into[ScoutOutput](b)
	case Review:
		return into[ReviewOutput](b)
	case Document:
		return into[DocumentOutput](b)
	case Verify:
		return into[VerifyOutput](b)
	case Changes:
		return into[ChangesOutput](b)
	}
	return into[GenericOutput](b)
}

func into[T Envelope](b []byte) (Envelope, error) {
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, err
	}
	return v, nil
}
