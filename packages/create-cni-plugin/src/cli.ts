#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { askOnTerminal } from './questions.ts'
import { runCli } from './run-cli.ts'

const terminal = process.stdin.isTTY === true && process.stdout.isTTY === true

commandMain('create-cni-plugin', (argv, io) => runCli(argv, io, terminal ? askOnTerminal : undefined))
