package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// newTLS makes the client side of TLS. Brokers are always checked: there is no setting to skip that. The client's
// certificate is read at each handshake, so that one that is renewed in place is taken without a restart.
func newTLS(ca, cert, key, serverName string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: serverName}
	var errs []error
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			errs = append(errs, fmt.Errorf("tls-ca: %w", err))
		} else if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(pem) {
			errs = append(errs, fmt.Errorf("tls-ca: %s holds no PEM certificate", ca))
		}
	}
	switch {
	case cert == "" && key == "":
	case cert == "" || key == "":
		errs = append(errs, errors.New("tls-cert and tls-key belong together"))
	default:
		if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
			errs = append(errs, fmt.Errorf("tls-cert: %w", err))
		}
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(cert, key)
			return &pair, err
		}
	}
	return c, errors.Join(errs...)
}
