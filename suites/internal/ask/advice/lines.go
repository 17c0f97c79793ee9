package advice

import (
	"net/http"
	"slices"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// line is a piece of advice: a look, and what it points to. All advice that the suite gives about answers that do not
// serve is in the list below; there is none without a look.
type line struct {
	whom Whom
	look string // in words
	is   func(Seen) bool
	then []thing // what to check, the likeliest first
}

// lines are in the order of what is to be checked: those that match are joined, and what is named twice is named once.
var lines = []line{
	// No request was answered.
	{Nobody, "an answer that began and broke off", Seen.brokeOff, things(logs)},
	{Nobody, "a fault that names what to do", func(s Seen) bool { return s.Fault.Advised }, nil},
	{Nobody, "a time-out", func(s Seen) bool { return s.Fault.Kind == exchange.Timeout }, things(slow)},
	{Nobody, "a connection to http:// that is closed, or an answer that is no HTTP", Seen.closed, things(speaksTLS)},
	{Nobody, "no answer for any other reason", Seen.unexplained, things(reach)},

	// Everybody is refused from the start, by all versions or by one (J19).
	{Everybody, "a base URL that ends with what the suite appends", func(s Seen) bool { return s.Doubled != "" },
		things(leaveOut)},
	{Everybody, "400 to http://, with a text that names HTTPS", Seen.wantsHTTPS, things(begin)},
	{Everybody, "a proxy in use, and 403, 407, 502 to 504, or a page that is not 2xx", Seen.mayBeProxy, things(proxy)},
	{Everybody, "a challenge of Windows", func(s Seen) bool { return s.Windows }, things(windows)},
	{Everybody, "2xx that says nothing, of all versions", func(s Seen) bool { return s.empty() && !s.OthersServe },
		things(users)},
	{Everybody, "403 while another version serves", func(s Seen) bool { return s.Status == 403 && s.OthersServe },
		things(token, limit)},
	{Everybody, "401 or 403", status(401, 403), things(token)},
	{Everybody, "a redirect, 404, 405 or 410", func(s Seen) bool {
		return s.Status/100 == 3 || status(404, 405, 410)(s)
	},
		things(url, users)},
	{Everybody, "400 or 422", status(400, 422), things(app, url, users)},
	{Everybody, "429", status(429), things(limit, health, url)},
	{Everybody, "503", status(503), things(health, limit, url)},
	{Everybody, "any other 5xx", func(s Seen) bool { return s.Status/100 == 5 }, things(health, url)},
	{Everybody, "a page in 2xx", func(s Seen) bool { return s.Page && s.success() }, things(url)},
	{Everybody, "a refusal that sets a cookie", Seen.setsCookie, things(cookie)},
	{Everybody, "any refusal", always, things(token, app, url, client, users)},

	// Everybody is refused since some time (J23).
	{EverybodySince, "a token whose exp has passed", func(s Seen) bool { return !s.TokenEnd.IsZero() },
		things(access, limit)},
	{EverybodySince, "401", status(401), things(access)},
	{EverybodySince, "403, 429 or 503", status(403, 429, 503), things(limit, access)},
	{EverybodySince, "404, 405 or 410", status(404, 405, 410), things(deployed, runs, limit, access)},
	{EverybodySince, "a refusal that sets a cookie", Seen.setsCookie, things(cookie)},
	{EverybodySince, "any refusal", always, things(runs, limit, access)},

	// Some users are not served, and others are: the first line that matches is the end of the line of the cause.
	{SomeUsers, "an object around what was expected", func(s Seen) bool { return s.Envelope }, things(envelope)},
	{SomeUsers, "served at first, and 404 or 410 in all versions from then on", func(s Seen) bool {
		return s.Gone && status(404, 410)(s)
	}, things(gone)},
	{SomeUsers, "refused at one call and served at another, by an answer that sets a cookie", func(s Seen) bool {
		return s.NowAndThen && s.setsCookie()
	}, things(nodes, cookie)},
	{SomeUsers, "refused at one call and served at another", func(s Seen) bool { return s.NowAndThen }, things(nodes)},
	{SomeUsers, "a page, 401, 403, 502 or 504", func(s Seen) bool { return s.Page || status(401, 403, 502, 504)(s) },
		things(inFront)},
	{SomeUsers, "any other 5xx", func(s Seen) bool { return s.Status/100 == 5 }, things(health)},
	{SomeUsers, "2xx that says nothing, of a user whom no version served", func(s Seen) bool {
		return s.Unknown && s.empty()
	}, things(mark)},
	{SomeUsers, "another refusal of a user whom no version served, such as 404", func(s Seen) bool {
		return s.Unknown && s.Status != 0 && !s.success()
	}, things(unknown)},

	// Half of the enrolled users or more are not served by any version.
	{HalfOfUsers, "nothing but answers that can mean that there is no data", func(s Seen) bool { return s.Empty },
		things(old)},

	// More users of a sweep are not served than --min-served allows.
	{TooMany, "getUserAuth served fewer than findByUserIds, which is sent no Id", lags(schemas.GetUserAuth),
		things(ids)},
	{TooMany, "findByUserIds served fewer than getUserAuth", lags(schemas.FindByUserIDs), things(health)},
	{TooMany, "nothing but answers that can mean that there is no data", func(s Seen) bool { return s.Empty },
		things(population)},
}

func things(list ...thing) []thing { return list }

func always(Seen) bool { return true }

func status(of ...int) func(Seen) bool {
	return func(s Seen) bool { return slices.Contains(of, s.Status) }
}

func lags(op schemas.Operation) func(Seen) bool { return func(s Seen) bool { return s.Lags == op } }

func (s Seen) success() bool { return s.Status/100 == 2 }

// empty reports whether an answer is 2xx, and its body can only mean that there is no data.
func (s Seen) empty() bool { return s.success() && s.Empty }

// MayMeanNothing reports whether an answer can mean that there is no data (J22).
func (s Seen) MayMeanNothing() bool { return !s.Page && (s.empty() || status(400, 404, 410, 422)(s)) }

func (s Seen) brokeOff() bool { return s.Status != 0 }

func (s Seen) setsCookie() bool { return len(s.Cookies) > 0 }

func (s Seen) closed() bool { return s.unexplained() && s.Closed && s.Clear }

func (s Seen) unexplained() bool {
	return s.Status == 0 && !s.Fault.Advised && s.Fault.Kind != exchange.Timeout
}

func (s Seen) wantsHTTPS() bool { return s.Status == http.StatusBadRequest && s.Clear && s.NamesHTTPS }

// mayBeProxy reports whether the proxy in use may have answered: with a page of its own, or as it can't reach the
// target.
func (s Seen) mayBeProxy() bool {
	return s.Target.Proxy != nil && (status(403, 407, 502, 503, 504)(s) || s.Page && !s.success())
}
