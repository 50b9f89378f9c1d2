package local

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal's interrupt from the child, which is told to end by us, once; and lets it not outlive us.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
