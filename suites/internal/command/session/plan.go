package session

import "authenticator-conformance/suites/internal/judge/exchange"

// Planned is a request that a run would send, as plan shows it.
type Planned struct {
	Exchange  string `json:"exchange"`
	Risk      string `json:"risk"`
	Operation string `json:"operation"`
	Version   string `json:"version"`
	UserID    string `json:"userId"`
	Probe     string `json:"probe"`
	Method    string `json:"method"`
	URL       string `json:"url"`
	Body      string `json:"body"`
}

// Plan lists the requests that the run would send, in order, with placeholders for the tokens.
func (n *Session) Plan() []Planned {
	for _, v := range n.Run.Settings.Versions {
		n.Run.Unknown[v] = exchange.UnknownToken
	}
	list := []Planned{}
	for _, p := range n.Run.Plan() {
		address, _, body := n.Out.Request(n.Run.Requests, p, "")
		list = append(list, Planned{Exchange: p.ID, Risk: string(p.Risk()), Operation: string(p.Operation),
			Version: string(p.Version), UserID: n.Out.Text(n.Out.StoredUser(p).UserID, 0), Probe: p.Name(),
			Method: p.Method(), URL: n.Out.Text(address, 0), Body: n.Out.Text(body, 0)})
	}
	return list
}
