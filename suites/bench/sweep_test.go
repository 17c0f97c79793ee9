package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
)

// answer is what a target answers to one of the requests of a sweep for the user at a place.
func answer(target http.Handler, a asked, place int) *httptest.ResponseRecorder {
	GinkgoHelper()
	u := person(place)
	r := httptest.NewRequest(http.MethodPost, a.URL, strings.NewReader(a.of(u.ID, u.UserID)))
	r.Header.Set("Content-Type", reference.MediaType)
	w := httptest.NewRecorder()
	target.ServeHTTP(w, r)
	Expect(w.Code).To(Equal(http.StatusOK), w.Body.String())
	return w
}

var _ = Describe("The requests of the bare client", func() {
	It("are the four of a sweep, in its order", func() {
		list, err := sweepRequests("http://target")
		Expect(err).NotTo(HaveOccurred())
		var urls []string
		for _, a := range list {
			urls = append(urls, a.URL)
		}
		Expect(urls).To(HaveExactElements(
			"http://target/api/v5/authenticator/getUserAuth", "http://target/api/v6/authenticator/getUserAuth",
			"http://target/api/v5/authenticator/findByUserIds", "http://target/api/v6/authenticator/findByUserIds"))
		Expect(list).To(HaveLen(each))
		Expect(list[0].of("an-id", "a-user")).To(And(ContainSubstring(`"Id":"an-id","UserId":"a-user"`), Not(ContainSubstring("{id}"))))
		Expect(list[2].of("an-id", "a-user")).To(And(ContainSubstring(`"UserId":"a-user"`), Not(ContainSubstring("an-id"))))
	})
})

var _ = Describe("The lean target", func() {
	It("keeps the contract for any user of a population, in both versions", func() {
		target, err := newLean()
		Expect(err).NotTo(HaveOccurred())
		contract, err := schemas.Load()
		Expect(err).NotTo(HaveOccurred())
		list, err := sweepRequests("")
		Expect(err).NotTo(HaveOccurred())
		for i, a := range list {
			for _, place := range []int{0, 7, 999_999} {
				got := answer(target, a, place)
				Expect(contract.AcceptsAnswer(schemas.Operations()[i/2], person(place).UserID, got.Body.Bytes())).To(BeTrue(), got.Body.String())
				if i/2 == 1 {
					var identifiers []string
					Expect(json.Unmarshal(got.Body.Bytes(), &identifiers)).To(Succeed())
					Expect(identifiers).To(HaveLen(leanIdentifiers))
				}
			}
		}
	})
})

var _ = Describe("The planted users", func() {
	DescribeTable("are as many in any population", func(population int) {
		numbers := map[int]bool{}
		for place := range population {
			if number, is := plantedAt(place, population); is {
				numbers[number] = true
			}
		}
		Expect(numbers).To(HaveLen(planted))
	},
		Entry("the smallest", small), Entry("one that they do not divide", small+1), Entry("that of CI", 30_000), Entry("the largest", 1_000_000))

	It("differ in v6, as their plant says, and nobody else does", func() {
		target := newPlanted(small)
		list, err := sweepRequests("")
		Expect(err).NotTo(HaveOccurred())
		changed := map[schemas.Operation]map[int]bool{}
		for i, op := range schemas.Operations() {
			changed[op] = map[int]bool{}
			for place := range 500 {
				v5, v6 := answer(target, list[2*i], place), answer(target, list[2*i+1], place)
				Expect(v6.Header().Get("Content-Type")).To(Equal(v5.Header().Get("Content-Type")))
				if v5.Body.String() != v6.Body.String() {
					changed[op][place] = true
				}
			}
		}
		for place := range 500 {
			number, is := plantedAt(place, small)
			for _, op := range schemas.Operations() {
				Expect(changed[op][place]).To(Equal(is && plants()[number%len(plants())].operation == op), "user "+strconv.Itoa(place))
			}
		}
	})
})

var _ = Describe("The bench's own peak memory", func() {
	It("is what the system tells", func() {
		const held = 64 << 20
		block := make([]byte, held)
		for i := 0; i < len(block); i += 1 << 10 {
			block[i] = 1
		}
		Expect(ownPeak()).To(And(BeNumerically(">", held), BeNumerically("<", 16*held)))
	})
})
