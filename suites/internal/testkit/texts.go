package testkit

import (
	"encoding/json"
	"reflect"
	"time"

	. "github.com/onsi/ginkgo/v2" //lint:ignore ST1001 as in all tests
	. "github.com/onsi/gomega"    //lint:ignore ST1001 as in all tests
)

// SetMembers sets members of a value, named as in JSON.
func SetMembers(value any, members map[string]any) {
	GinkgoHelper()
	Expect(json.Unmarshal(Must(json.Marshal(members)), value)).To(Succeed())
}

// EachText calls change for each text in what a pointer points to, at any depth: with the name of its field, and with
// the text, which can be set.
func EachText(pointer any, change func(field string, text reflect.Value)) {
	eachText("", reflect.ValueOf(pointer), change)
}

func eachText(field string, v reflect.Value, change func(string, reflect.Value)) {
	switch v.Kind() {
	case reflect.String:
		change(field, v)
	case reflect.Pointer:
		if !v.IsNil() {
			eachText(field, v.Elem(), change)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachText(field, v.Index(i), change)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			element := reflect.New(v.Type().Elem()).Elem() // an element of a map can't be set in place
			element.Set(v.MapIndex(key))
			eachText(field, element, change)
			v.SetMapIndex(key, element)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() { // else only its own package sees it
				eachText(v.Type().Field(i).Name, v.Field(i), change)
			}
		}
	}
}
