#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runConformance } from './cli/run-conformance.ts'

// Plugins run in process groups of their own: Ctrl-C signals only this process.
commandMain('cni-conformance', runConformance, { crashed: 3 })
