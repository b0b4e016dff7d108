// SPDX-License-Identifier: Apache-2.0

package certificate

import (
	"bytes"
	"crypto/x509"
	"testing"
	"time"
)

var hosts = []string{"webhook.karmada-system.svc", "127.0.0.1"}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func renew(t *testing.T, s Set, hosts []string, now time.Time) (Set, time.Time) {
	t.Helper()
	renewed, next, err := Renew(s, hosts, now)
	if err != nil {
		t.Fatal(err)
	}
	if !next.After(now) {
		t.Fatalf("at %v the next renewal is at %v, which is not later", now, next)
	}
	return renewed, next
}

// trusts reports whether whoever trusts the authorities of one set accepts the
// certificate of another.
func trusts(t *testing.T, authorities []byte, served Set, now time.Time) bool {
	t.Helper()
	pair, err := served.Serving()
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authorities)
	for _, host := range hosts {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: now}); err != nil {
			return false
		}
	}
	return true
}

func TestRenewMakesAFirstSet(t *testing.T) {
	s, next := renew(t, Set{}, hosts, start)
	if !trusts(t, s.Authorities, s, start) {
		t.Error("the certificate is not valid for its hosts")
	}
	if again, _ := renew(t, s, hosts, next.Add(-time.Second)); !again.Equal(s) {
		t.Error("the set changed before its renewal is due")
	}
}

// TestRenewForThirtyYears steps from renewal to renewal, each a day late. Whoever read the
// authorities of the set before accepts the certificate that is served now, and the
// other way round.
func TestRenewForThirtyYears(t *testing.T) {
	s, next := renew(t, Set{}, hosts, start)
	authorities := 1
	for now := next; now.Before(start.AddDate(30, 0, 0)); {
		now = next.Add(24 * time.Hour)
		renewed, at := renew(t, s, hosts, now)
		if renewed.Equal(s) {
			t.Fatalf("nothing was renewed at %v", now)
		}
		if !trusts(t, s.Authorities, renewed, now) || !trusts(t, renewed.Authorities, s, now) {
			t.Fatalf("at %v the sets before and after do not trust each other", now)
		}
		if !bytes.Equal(renewed.AuthorityKey, s.AuthorityKey) {
			authorities++
		}
		s, next = renewed, at
	}
	if authorities < 4 || authorities > 5 {
		t.Errorf("made %d authorities in thirty years", authorities)
	}
	if n := bytes.Count(s.Authorities, []byte("BEGIN")); n > 2 {
		t.Errorf("%d authorities are trusted: those that ended stay", n)
	}
}

func TestRenewReplacesWhatIsNotUsable(t *testing.T) {
	good, _ := renew(t, Set{}, hosts, start)
	other, _ := renew(t, Set{}, hosts, start)
	cases := map[string]struct {
		reason string
		change func(*Set)
		now    time.Time
		hosts  []string
	}{
		"Expired":         {"a manager that was off for years begins anew", func(*Set) {}, start.AddDate(12, 0, 0), hosts},
		"ServingExpired":  {"a manager that was off for a year has a valid authority", func(*Set) {}, start.AddDate(1, 1, 0), hosts},
		"OtherHost":       {"the address may change", func(*Set) {}, start, []string{"example.com"}},
		"NoKey":           {"a Secret may be damaged", func(s *Set) { s.Key = nil }, start, hosts},
		"OtherKey":        {"a Secret may be put together from two", func(s *Set) { s.Key = other.Key }, start, hosts},
		"OtherAuthority":  {"the certificate must be that of the authority", func(s *Set) { s.Authorities, s.AuthorityKey = other.Authorities, other.AuthorityKey }, start, hosts},
		"NoAuthorityKey":  {"an authority without its key can sign nothing", func(s *Set) { s.AuthorityKey = nil }, start, hosts},
		"NotACertificate": {"a Secret may hold anything", func(s *Set) { s.Authorities, s.Certificate = []byte("x"), []byte("y") }, start, hosts},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := good
			tc.change(&s)
			renewed, _ := renew(t, s, tc.hosts, tc.now)
			if renewed.Equal(good) {
				t.Errorf("%s: nothing was renewed", tc.reason)
			}
			if again, _ := renew(t, renewed, tc.hosts, tc.now); !again.Equal(renewed) {
				t.Errorf("%s: the renewed set is renewed at once", tc.reason)
			}
			if name == "ServingExpired" && !bytes.Equal(renewed.AuthorityKey, good.AuthorityKey) {
				t.Errorf("%s: another authority was made", tc.reason)
			}
		})
	}
}
