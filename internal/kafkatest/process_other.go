//go:build unix && !linux

package kafkatest

import "syscall"

const (
	stopSignal     = syscall.SIGSTOP
	continueSignal = syscall.SIGCONT
)

// detached keeps the terminal's signals from the broker.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
