//go:build !race

package task

const raced = false
