import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { seed } from '../../deep.ts'
import { peer, runs } from '../peers.ts'
import { sweep } from '../sweep.ts'
import { commandJudge } from './command-judge.ts'
import { commandCase } from './random-command.ts'

const TOOL = fileURLToPath(new URL('../../../dist/bin/istio-redirect', import.meta.url))
const original = peer('istio-iptables')
const missing = original.missing ?? (existsSync(TOOL) ? undefined : `needs ${TOOL}: npm run build`)

describe.runIf(missing === undefined)(
  `the original istio-iptables and ours${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    test(`do the same with ${runs} random command lines (CNI_SEED=${seed})`, {
      timeout: 60_000 + 1000 * runs,
    }, async () => {
      const report = await sweep(commandCase, commandJudge([original.file], [TOOL, 'iptables']))
      process.stderr.write(
        `seed ${seed}: ${report.cases} command lines, known differences ${JSON.stringify(report.known)}\n`,
      )
      expect(report.disagreements.join('\n\n')).toBe('')
    })
  },
)
