package secret

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Value is a copy of v with every secret in its texts masked: strings, bytes,
// JSON, and whatever is made of these. Only plain strings are texts; those of a
// type of their own, such as a status, are not. v itself is not changed.
func Value[T any](s *Set, v T) T {
	if s == nil {
		return v
	}
	out := s.value(reflect.ValueOf(&v).Elem())
	return out.Interface().(T)
}

func (s *Set) value(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			return reflect.ValueOf(s.Text(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out := reflect.New(v.Type().Elem())
			out.Elem().Set(s.value(v.Elem()))
			return out
		}
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		inner := s.value(v.Elem())
		if number, ok := inner.Interface().(json.Number); ok && s.In([]byte(number)) != "" {
			inner = reflect.ValueOf(s.Text(string(number)))
		}
		out.Set(inner)
		return out
	case reflect.Slice:
		return s.slice(v)
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, key := range v.MapKeys() {
			out.SetMapIndex(s.value(key), s.value(v.MapIndex(key)))
		}
		return out
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(s.value(v.Field(i)))
			}
		}
		return out
	}
	return v
}

func (s *Set) slice(v reflect.Value) reflect.Value {
	switch {
	case v.IsNil():
		return v
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		return reflect.ValueOf(s.JSON(v.Bytes()))
	case v.Type().Elem().Kind() == reflect.Uint8:
		return reflect.ValueOf(s.Bytes(v.Bytes())).Convert(v.Type())
	}
	out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		out.Index(i).Set(s.value(v.Index(i)))
	}
	return out
}

// JSON is a JSON text with every secret masked, however its strings spell it;
// it stays valid. One that holds none is returned as it is.
func (s *Set) JSON(raw json.RawMessage) json.RawMessage {
	if s == nil || len(raw) == 0 {
		return raw
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil || dec.More() {
		return s.Bytes(raw)
	}
	masked := Value(s, v)
	if reflect.DeepEqual(masked, v) && s.In(raw) == "" {
		return raw
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(masked); err != nil {
		return s.Bytes(raw) // what was decoded can be encoded
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
