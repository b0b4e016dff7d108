// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/descheduling"
	estimator "github.com/dragoman-io/dragoman/controllers/estimator/client"
)

// estimators are the flags of the estimators beside members.
type estimators struct {
	enabled bool
	options estimator.Options
	prefix  string
	tls     estimator.TLS
	// moves is whether replicas without a node are moved, descheduling when.
	moves        bool
	descheduling descheduling.Options
	addresses    map[string]string
}

const estimatorUsage = `ask the estimator beside each member how much fits on its nodes; without it, and where
one does not answer, the status of the cluster tells that`

const estimatorAddressUsage = `address of the estimator of one cluster in the place of its Service, as
member1=127.0.0.1:10352; may be repeated`

const deschedulerUsage = `move divided replicas whose pods have found no node, by the estimators of their clusters,
to clusters that have room for all of them; it needs --enable-scheduler-estimator`

func (e *estimators) addFlags(s *pflag.FlagSet) {
	s.BoolVar(&e.enabled, "enable-scheduler-estimator", false, estimatorUsage)
	s.StringVar(&e.options.Namespace, "scheduler-estimator-service-namespace", "karmada-system", "namespace of the Services of estimators")
	s.StringVar(&e.prefix, "scheduler-estimator-service-prefix", strings.TrimSuffix(estimator.ServicePrefix, "-"), "beginning of the names of the Services of estimators; a - and the cluster follow")
	s.Uint16Var(&e.options.Port, "scheduler-estimator-port", estimator.DefaultPort, "port of estimators")
	s.DurationVar(&e.options.Timeout, "scheduler-estimator-timeout", estimator.DefaultTimeout, "how long an estimator has for its answers")
	s.StringVar(&e.tls.CAFile, "scheduler-estimator-ca-file", "", "authorities of the certificates of estimators; without them they are asked in plain text")
	s.StringVar(&e.tls.CertFile, "scheduler-estimator-cert-file", "", "certificate by which estimators know this program")
	s.StringVar(&e.tls.KeyFile, "scheduler-estimator-key-file", "", "key of that certificate")
	s.BoolVar(&e.tls.AnyServer, "insecure-skip-estimator-verify", false, "take estimators whose certificate nobody has signed")
	s.BoolVar(&e.options.PushOnly, "disable-scheduler-estimator-in-pull-mode", false, "do not ask the estimators of clusters in pull mode, whose status tells what is free then")
	s.BoolVar(&e.moves, "enable-descheduler", false, deschedulerUsage)
	s.DurationVar(&e.descheduling.Interval, "descheduling-interval", descheduling.DefaultInterval, "time between two looks for replicas without a node")
	s.DurationVar(&e.descheduling.Threshold, "unschedulable-threshold", descheduling.DefaultThreshold, "for how long a pod must have found no node to be moved")
	s.StringToStringVar(&e.addresses, "scheduler-estimator-address", nil, estimatorAddressUsage)
}

// set sets the options of the client and of what moves replicas; they stay nil where these are
// off.
func (e *estimators) set(all *controllers.Options) error {
	switch {
	case e.moves && !e.enabled:
		return errors.New("--enable-descheduler asks estimators: set --enable-scheduler-estimator too")
	case e.moves && (e.descheduling.Interval <= 0 || e.descheduling.Threshold <= 0):
		return errors.New("--descheduling-interval and --unschedulable-threshold must be above 0")
	case !e.enabled:
		return nil
	}
	config, err := e.tls.Config()
	if err != nil {
		return err
	}
	o := e.options
	o.Prefix, o.TLS = e.prefix+"-", config
	if o.Timeout <= 0 {
		return fmt.Errorf("--scheduler-estimator-timeout is %s; it must be above 0", o.Timeout)
	}
	o.Addresses = e.addresses
	all.Estimators = &o
	if e.moves {
		all.Descheduling = &e.descheduling
	}
	return nil
}
