package advice

import (
	"fmt"
	"time"

	"authenticator-conformance/suites/internal/settings"
)

// thing returns something to check, in words.
type thing func(Seen, names) string

func url(s Seen, n names) string {
	return "the base URL with its path prefix (" + n.of(s.Version, "TargetURL", "--target-url") + ")"
}

func token(s Seen, n names) string { return "the access token (" + Token(n.Settings, s.Version) + ")" }

func app(s Seen, n names) string {
	return "the application id (" + n.of(s.Version, "ApplicationID", "--application-id") + ")"
}

func client(s Seen, n names) string {
	return "the client certificate and the headers, if a gateway asks for them (" +
		n.of(s.Version, "TLS", "--client-cert") + ", " + n.of(s.Version, "Header", "target.headers") + ")"
}

// users names the users file. Only an answer that can mean "there is no data" is a reason to mark users.
func users(s Seen, n names) string {
	text := "the users file, if the target does not know them"
	if !s.OthersServe && s.MayMeanNothing() {
		text += " or they have no authenticators: then mark them enrolled: false, or list others first"
	}
	return text + " (" + n.Named("--users", "Users") + ")"
}

func health(Seen, names) string {
	return "whether the service works at all: its log says why it answers so"
}

func limit(s Seen, n names) string {
	if s.Whom == EverybodySince {
		return "a limit in front of the service (send less: " + n.Slower() + ")"
	}
	return "what limits requests in front of it: send less (" + n.Slower() + ")"
}

func deployed(Seen, names) string {
	return "whether the operation is still deployed there: its route, or a new release"
}
func runs(Seen, names) string { return "whether the service still runs: see its log" }

// access is the token of a target that served before.
func access(s Seen, n names) string {
	named := Token(n.Settings, s.Version)
	if !s.TokenEnd.IsZero() {
		return fmt.Sprintf("the access token, which ended at %s: get a new one (%s)",
			s.TokenEnd.UTC().Format(time.RFC3339), named)
	}
	return "whether the access token has ended or its account is locked out (" + named + ")"
}

// cookie names the cookies: a balancer, or a session of the service itself, may want them back.
func cookie(s Seen, n names) string {
	named := " (" + s.Cookies + ")"
	if n.Values == settings.ValuesHide {
		named = ""
	}
	return "whether a balancer or a session wants back the cookie that was set" + named +
		", as this suite keeps none: " +
		"give it as a header Cookie (" + n.of(s.Version, "Header", "target.headers") + ")"
}

func proxy(s Seen, _ names) string {
	return fmt.Sprintf("whether the proxy %s answered instead of the target: let it pass this host, or %s",
		s.Target.Proxy, s.Target.Proxy.Around())
}

func windows(s Seen, n names) string {
	return "what is in front of the service, or IIS itself: let it allow anonymous authentication for this path, as " +
		"the token is in the body, or ask past it (" + n.of(s.Version, "TargetURL", "--target-url") + ")"
}

func leaveOut(s Seen, _ names) string {
	return "the end of the base URL: leave " + s.Doubled + " out, as the suite appends " + s.Path
}

func begin(Seen, names) string {
	return "the beginning of the base URL: the server there speaks TLS, so begin with https://"
}

func logs(Seen, names) string { return "see the log of the service and of what is in front of it" }

func slow(_ Seen, n names) string {
	return "see why it is slow or silent, or raise " + n.Named("--timeout (AUTHN_TIMEOUT, timeout)", "Timeout") +
		"; a firewall in between is silent, too"
}

func speaksTLS(Seen, names) string {
	return "does the server there speak TLS? Then the URL begins with https://"
}

func reach(s Seen, n names) string {
	setting := n.of(s.Version, "TargetURL", "--target-url")
	if !n.Program {
		setting = fmt.Sprintf("the setting %s (%s, %s)", settings.ForVersion("target.url", s.Version), setting,
			settings.ForVersion("AUTHN_TARGET_URL", s.Version))
	}
	return "check " + setting + " and the network, proxy and TLS settings"
}

func envelope(Seen, names) string {
	return "something wraps each answer: let the gateway or filter pass it on as the service gives it"
}

func gone(Seen, names) string { return "gone meanwhile? Run again" }

func nodes(Seen, names) string { return "do nodes differ?" }

func inFront(s Seen, _ names) string {
	text := "see what is in front of the service, and what it refuses in these requests"
	if s.Common != nil {
		if common := s.Common(); common != "" {
			text += ": " + common
		}
	}
	return text
}

func mark(Seen, names) string {
	return "if they have no authenticators, mark them enrolled: false in the users file"
}

func old(_ Seen, n names) string {
	return "the users file may be old or of another installation, so check it (" + n.Named("--users", "Users") + ")"
}

func ids(_ Seen, n names) string {
	return "the ids in the users file, as findByUserIds, which needs none, serves more users (" +
		n.Named("--users", "Users") + ")"
}

func population(_ Seen, n names) string {
	return "the users file: user ids without their leading zeros, users without authenticators who are not marked " +
		"enrolled: false, or users of another installation (" + n.Named("--users", "Users") + ")"
}

func unknown(Seen, names) string { return "perhaps unknown to the target" }
