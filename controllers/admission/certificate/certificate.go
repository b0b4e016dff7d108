// SPDX-License-Identifier: Apache-2.0

// Package certificate makes the certificates that a webhook is served with: an authority
// of its own, and a serving certificate that it signs.
//
// In goes what there is, as the data of a Secret, the hosts to serve and the time; out
// comes what there should be. The package knows neither the cluster nor the server.
package certificate

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

const (
	// authorityLifetime and authorityRenewal are how long an authority is valid, and how
	// long before its end the next one is made.
	authorityLifetime = 10 * 365 * 24 * time.Hour
	authorityRenewal  = 2 * 365 * 24 * time.Hour
	// servingLifetime and servingRenewal are those of the serving certificate. The
	// lifetime is less than authorityRenewal, so that no certificate outlives its
	// authority.
	servingLifetime = 365 * 24 * time.Hour
	servingRenewal  = 120 * 24 * time.Hour
	// skew is how far the clock of whoever verifies may be behind.
	skew = 5 * time.Minute
)

// Set is an authority and the certificate that it signed, each PEM encoded. The zero Set
// has none.
type Set struct {
	// Authorities are the certificates to trust, the newest first. AuthorityKey is the key
	// of the newest.
	Authorities, AuthorityKey []byte
	// Certificate and Key are what is served.
	Certificate, Key []byte
}

// Renew returns the set to use from now on for hosts, which are names and IP addresses,
// and when to renew it next. It is the same set if nothing is due.
//
// An authority is made long before the one before ends. It is trusted from then on, and
// signs when the serving certificate is due, so that whoever verifies knows an authority
// before it is used. Only if there is no valid certificate both are made at once.
func Renew(s Set, hosts []string, now time.Time) (Set, time.Time, error) {
	trusted := validAuthorities(s.Authorities, now)
	authority, err := authorityOf(trusted, s.AuthorityKey)
	if err != nil || due(authority.cert, authorityRenewal, now) {
		if authority, err = newAuthority(now); err != nil {
			return Set{}, time.Time{}, fmt.Errorf("make an authority: %w", err)
		}
		trusted = append([]*x509.Certificate{authority.cert}, trusted...)
		s.AuthorityKey = authority.encodedKey
	}
	s.Authorities = encodeAll(trusted)
	serving, err := servingOf(s, trusted, hosts, now)
	if err != nil || due(serving, servingRenewal, now) {
		if s.Certificate, s.Key, err = authority.issue(hosts, now); err != nil {
			return Set{}, time.Time{}, fmt.Errorf("issue a certificate: %w", err)
		}
		if serving, err = servingOf(s, trusted, hosts, now); err != nil {
			return Set{}, time.Time{}, fmt.Errorf("verify the certificate that was issued: %w", err)
		}
	}
	next := serving.NotAfter.Add(-servingRenewal)
	if end := authority.cert.NotAfter.Add(-authorityRenewal); end.Before(next) {
		next = end
	}
	return s, next, nil
}

// Equal reports whether two sets are the same.
func (s Set) Equal(other Set) bool {
	return bytes.Equal(s.Authorities, other.Authorities) && bytes.Equal(s.AuthorityKey, other.AuthorityKey) &&
		bytes.Equal(s.Certificate, other.Certificate) && bytes.Equal(s.Key, other.Key)
}

// Serving returns the certificate to serve.
func (s Set) Serving() (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(s.Certificate, s.Key)
	return &pair, err
}

func due(c *x509.Certificate, renewal time.Duration, now time.Time) bool {
	return !now.Before(c.NotAfter.Add(-renewal))
}

// servingOf returns the serving certificate of a set. It is an error if it is not valid
// now for all hosts.
func servingOf(s Set, trusted []*x509.Certificate, hosts []string, now time.Time) (*x509.Certificate, error) {
	pair, err := s.Serving()
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	for _, c := range trusted {
		roots.AddCert(c)
	}
	for _, host := range hosts {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: now}); err != nil {
			return nil, err
		}
	}
	return pair.Leaf, nil
}

// authority is a certificate authority with its key.
type authority struct {
	cert       *x509.Certificate
	key        *ecdsa.PrivateKey
	encodedKey []byte
}

// validAuthorities returns the authorities of a bundle that have not ended. What is not a
// certificate is left out.
func validAuthorities(bundle []byte, now time.Time) []*x509.Certificate {
	var all []*x509.Certificate
	for block, rest := pem.Decode(bundle); block != nil; block, rest = pem.Decode(rest) {
		c, err := x509.ParseCertificate(block.Bytes)
		if err == nil && c.IsCA && now.Before(c.NotAfter) {
			all = append(all, c)
		}
	}
	return all
}

// authorityOf returns the newest of the trusted authorities, whose key is given.
func authorityOf(trusted []*x509.Certificate, key []byte) (*authority, error) {
	if len(trusted) == 0 {
		return nil, errors.New("there is no authority")
	}
	pair, err := tls.X509KeyPair(encode("CERTIFICATE", trusted[0].Raw), key)
	if err != nil {
		return nil, err
	}
	private, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.New("the key of the authority is of another kind")
	}
	return &authority{cert: trusted[0], key: private, encodedKey: key}, nil
}

func newAuthority(now time.Time) (*authority, error) {
	key, encoded, err := newKey()
	if err != nil {
		return nil, err
	}
	template, err := newTemplate("dragoman webhook CA", now, authorityLifetime)
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{cert: cert, key: key, encodedKey: encoded}, err
}

// issue returns a certificate for hosts and its key.
func (a *authority) issue(hosts []string, now time.Time) (cert, key []byte, err error) {
	private, encoded, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	template, err := newTemplate("dragoman webhook", now, servingLifetime)
	if err != nil {
		return nil, nil, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, private.Public(), a.key)
	return encode("CERTIFICATE", der), encoded, err
}

func newTemplate(name string, now time.Time, lifetime time.Duration) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-skew), NotAfter: now.Add(lifetime),
	}, err
}

func newKey() (key *ecdsa.PrivateKey, encoded []byte, err error) {
	if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return key, encode("PRIVATE KEY", der), err
}

func encodeAll(certs []*x509.Certificate) []byte {
	var bundle []byte
	for _, c := range certs {
		bundle = append(bundle, encode("CERTIFICATE", c.Raw)...)
	}
	return bundle
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
