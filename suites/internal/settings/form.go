package settings

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// form is what kind of value a setting takes.
type form struct {
	// placeholder stands for the value in the flags' help.
	placeholder string
	// tags are the YAML tags that the file may give the value in.
	tags []string
	// expected says in an error what belongs there.
	expected string
}

func textForm(placeholder string) form {
	return form{placeholder: placeholder, tags: []string{tagText}, expected: "a text"}
}

func numberForm() form {
	return form{placeholder: "NUMBER", tags: []string{tagInteger, tagFloat}, expected: "a number without quotes"}
}

// durationForm takes a bare number too, so that its parser can say how to write it.
func durationForm() form {
	return form{placeholder: "DURATION", tags: []string{tagText, tagInteger, tagFloat}, expected: "a duration such as 10s"}
}

func wordsForm(placeholder string) form {
	return form{placeholder: placeholder, tags: []string{tagText, tagList}, expected: "a list of words"}
}

func entriesForm() form {
	return form{tags: []string{tagList}, expected: "a list of entries"}
}

func membersForm() form {
	return form{tags: []string{tagMapping}, expected: "headers, each as name: value"}
}

// text reads a member's value as the text that a flag would give. Values that hold entries have none.
func (f form) text(node *yaml.Node) (string, error) {
	tag := tagOf(node)
	if tag == tagNull {
		return "", nil
	}
	if !slices.Contains(f.tags, tag) {
		return "", fmt.Errorf("expected %s, got %s%s", f.expected, kindOf(node), f.hint(tag))
	}
	if node.Kind == yaml.ScalarNode {
		return node.Value, nil
	}
	if tag != tagList || !slices.Contains(f.tags, tagText) {
		return "", nil
	}
	words := make([]string, 0, len(node.Content))
	for _, item := range node.Content {
		item = resolved(item)
		if tagOf(item) != tagText {
			return "", fmt.Errorf("expected %s, got %s among them", f.expected, kindOf(item))
		}
		words = append(words, item.Value)
	}
	return strings.Join(words, listSeparator), nil
}

// hint tells what to do about the commonest slip: a text that YAML takes for something else.
func (f form) hint(tag string) string {
	if !slices.Contains(f.tags, tagText) {
		return ""
	}
	if slices.Contains([]string{tagInteger, tagFloat, tagBoolean, tagDate}, tag) {
		return ": put it in quotes"
	}
	return ""
}
