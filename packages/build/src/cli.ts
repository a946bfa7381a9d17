#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runCli } from './run-cli.ts'

// The compiler and what it made are in process groups of their own: a Ctrl-C reaches only us.
commandMain('cni-build', runCli)
