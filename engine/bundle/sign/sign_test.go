// SPDX-License-Identifier: Apache-2.0

package sign

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"strings"
	"testing"
)

var (
	digest = "sha256:" + strings.Repeat("0a", 32)
	other  = "sha256:" + strings.Repeat("0b", 32)
)

func newKey(t testing.TB) PrivateKey {
	t.Helper()
	key, err := Generate()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func signed(t testing.TB, digest string, keys ...PrivateKey) *Envelope {
	t.Helper()
	var e *Envelope
	for _, key := range keys {
		next, err := Sign(key, digest, e)
		if err != nil {
			t.Fatal(err)
		}
		e = next
	}
	return e
}

func TestVerify(t *testing.T) {
	a, b, c := newKey(t), newKey(t), newKey(t)
	forged := signed(t, digest, a)
	forged.Signatures[0].KeyID = b.Public.ID
	damaged := signed(t, digest, a)
	damaged.Signatures[0].Bytes[3] ^= 1
	for name, tc := range map[string]struct {
		envelope *Envelope
		digest   string
		keys     []PublicKey
		by, want string
	}{
		"by the key":                    {signed(t, digest, a), digest, []PublicKey{a.Public}, a.Public.ID, ""},
		"by one of two":                 {signed(t, digest, b), digest, []PublicKey{a.Public, b.Public}, b.Public.ID, ""},
		"signed by two":                 {signed(t, digest, a, b), digest, []PublicKey{b.Public}, b.Public.ID, ""},
		"under the id of another key":   {forged, digest, []PublicKey{a.Public}, a.Public.ID, ""},
		"by another key":                {signed(t, digest, a), digest, []PublicKey{b.Public, c.Public}, "", "it is signed by " + a.Public.ID + ", and not by " + b.Public.ID + " or " + c.Public.ID},
		"not at all":                    {nil, digest, []PublicKey{a.Public}, "", "it is not signed"},
		"of something else":             {signed(t, other, a), digest, []PublicKey{a.Public}, "", "the signature is of " + other + ", and this is " + digest},
		"damaged":                       {damaged, digest, []PublicKey{a.Public}, "", "the signature that names key " + a.Public.ID + " is not by that key"},
		"forged in the name of the key": {forged, digest, []PublicKey{b.Public}, "", "is not by that key"},
	} {
		t.Run(name, func(t *testing.T) {
			by, err := Verify(tc.envelope, tc.digest, tc.keys)
			switch {
			case tc.want == "" && (err != nil || by.ID != tc.by):
				t.Errorf("got %s, error %v; want %s", by.ID, err, tc.by)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || !errors.As(err, new(*Error))):
				t.Errorf("got %s, error %v; want one with %q", by.ID, err, tc.want)
			}
		})
	}
	if _, err := Verify(signed(t, digest, a), digest, nil); err == nil {
		t.Error("without a key everything is good")
	}
}

// The example of the specification of DSSE.
func TestWhatIsSigned(t *testing.T) {
	text, all := body(digest)
	if want := "DSSEv1 46 application/vnd.dragoman.bundle.digest.v1+json 84 " + string(text); string(all) != want {
		t.Errorf("signed is %s; want %s", all, want)
	}
}

func TestEnvelopes(t *testing.T) {
	a, b := newKey(t), newKey(t)
	e := signed(t, digest, a, b, a)
	if len(e.Signatures) != 2 {
		t.Errorf("got %d signatures; want one for each key", len(e.Signatures))
	}
	text, err := e.JSON()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []PrivateKey{a, b} {
		if _, err := Verify(back, digest, []PublicKey{key.Public}); err != nil {
			t.Error(err)
		}
	}
	again, err := signed(t, digest, b, a).JSON()
	if err != nil || string(again) != string(text) {
		t.Errorf("the order of signing shows in %s, %v", again, err)
	}
	if _, err := Sign(a, other, e); err == nil {
		t.Error("an envelope is of two digests")
	}
	if _, err := Sign(a, "sha256:x", nil); err == nil {
		t.Error("signed what is no digest")
	}
}

func TestParseRefuses(t *testing.T) {
	a := newKey(t)
	good, err := signed(t, digest, a).JSON()
	if err != nil {
		t.Fatal(err)
	}
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	replace := func(old, with string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("there is no %s in %s", old, good)
		}
		return strings.Replace(string(good), old, with, 1)
	}
	payload, _ := body(digest)
	for name, c := range map[string]struct{ text, want string }{
		"text":                        {"hello", "not an envelope of signatures in the form DSSE"},
		"nothing":                     {"", "not an envelope"},
		"an unknown field":            {replace(`{"payloadType"`, `{"x":1,"payloadType"`), "unknown field"},
		"more behind it":              {string(good) + "{}", "more comes behind it"},
		"another type":                {replace("dragoman.bundle.digest", "other"), `an envelope of "application/vnd.other.v1+json"`},
		"a payload that is no base64": {replace(encode(string(payload)), "%%%"), "not in base64"},
		"a payload that is no JSON":   {replace(encode(string(payload)), encode("x")), "the payload of the envelope"},
		"a payload with more in it":   {replace(encode(string(payload)), encode(`{"digest":"`+digest+`","x":1}`)), "unknown field"},
		"a payload with spaces":       {replace(encode(string(payload)), encode(`{"digest": "`+digest+`"}`)), "names no digest as dragoman sign writes it"},
		"no digest":                   {replace(encode(string(payload)), encode(`{"digest":"md5:1"}`)), "names no digest"},
		"no signatures":               {`{"payloadType":"` + payloadType + `","payload":"` + encode(string(payload)) + `","signatures":[]}`, "an envelope of 0 signatures"},
		"a signature without a key":   {replace(a.Public.ID, ""), "a signature without the id of a key"},
		"too long":                    {strings.Repeat(" ", MaxSize+1), "too long for an envelope"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v; want one with %q", err, c.want)
			}
		})
	}
}

func TestKeys(t *testing.T) {
	key := newKey(t)
	private, err := key.PEM()
	if err != nil {
		t.Fatal(err)
	}
	public, err := key.Public.PEM()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParsePrivateKey(private)
	if err != nil || back.Public.ID != key.Public.ID {
		t.Errorf("got key %s, %v; want %s", back.Public.ID, err, key.Public.ID)
	}
	if back, err := ParsePublicKey(public); err != nil || back.ID != key.Public.ID {
		t.Errorf("got key %s, %v; want %s", back.ID, err, key.Public.ID)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(curve)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, data []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}) }
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"a public key":     {public, "this is a public key"},
		"text":             {[]byte("x"), "not a PEM file"},
		"two keys":         {append(append([]byte{}, private...), private...), "more than one key"},
		"an encrypted key": {block("ENCRYPTED PRIVATE KEY", der), "the key is encrypted"},
		"another form":     {block("EC PRIVATE KEY", der), `a PEM block "EC PRIVATE KEY"`},
		"another kind":     {block("PRIVATE KEY", der), "a key of the type *ecdsa.PrivateKey; want an ed25519 key"},
		"damaged":          {block("PRIVATE KEY", der[:20]), "not a key in the form PKCS #8"},
	} {
		if _, err := ParsePrivateKey(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v; want one with %q", name, err, c.want)
		}
	}
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"a private key": {private, "this is a private key; verify with the public key"},
		"a certificate": {block("CERTIFICATE", der), `a PEM block "CERTIFICATE"`},
		"damaged":       {block("PUBLIC KEY", der[:20]), "not a key in the form PKIX"},
	} {
		if _, err := ParsePublicKey(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v; want one with %q", name, err, c.want)
		}
	}
}

// Whatever is parsed is the same once it is written and parsed again.
func FuzzParse(f *testing.F) {
	good, err := signed(f, digest, newKey(f)).JSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"payloadType":"` + payloadType + `","payload":"e30=","signatures":[{}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := Parse(text)
		if err != nil {
			return
		}
		again, err := e.JSON()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(again)
		if err != nil || back.Digest != e.Digest || len(back.Signatures) != len(e.Signatures) {
			t.Errorf("got %v, error %v; want %v", back, err, e)
		}
	})
}
