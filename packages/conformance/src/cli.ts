#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runConformance } from './cli/run-conformance.ts'

// Plugins are in process groups of their own: a Ctrl-C reaches only us.
commandMain('cni-conformance', runConformance, { crashed: 3 })
