package strictjson_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/strictjson"
)

var _ = DescribeTable("TypeOf names the type of", func(text, want string) {
	value, err := strictjson.Decode([]byte(text))
	Expect(err).NotTo(HaveOccurred())
	Expect(strictjson.TypeOf(value)).To(Equal(want))
},
	Entry(nil, `{}`, "object"),
	Entry(nil, `[]`, "array"),
	Entry(nil, `"1"`, "string"),
	Entry(nil, `1`, "number"),
	Entry(nil, `false`, "boolean"),
	Entry(nil, `null`, "null"),
)
