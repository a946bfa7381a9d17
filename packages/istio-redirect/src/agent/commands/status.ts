import { escapeUnsafe, printable } from '@cni/types'
import { jsonText } from '../../safe-text.ts'
import type { AgentConfig } from '../config/agent-config.ts'
import { checkAgent, checkLogSocket } from './check-agent.ts'
import { checkAmbient } from './check-ambient.ts'
import { checkInstall } from './check-install.ts'
import { checkRuntime } from './check-runtime.ts'
import { askServing, checkServing, checkUpgrade } from './check-serving.ts'
import { checkToken } from './check-token.ts'
import type { Check } from './checks.ts'
import { type CommandIo, paint } from './io.ts'

/** Prints whether this node is healthy, with reasons and next steps. */
export async function status(config: AgentConfig, json: boolean, io: CommandIo): Promise<number> {
  const { install, api, pluginToken, logSocket, serve, healthPort, values } = config
  const serving = await askServing(serve)
  const { checks: installed, runtimes } = await checkInstall(install)
  const isInstalled = installed.every(({ name, state }) => name === 'network' || state === 'ok')
  const checks: readonly Check[] = [
    ...installed,
    ...(await checkRuntime(config.cri, { type: install.plugin.type, isInstalled })),
    checkToken(api.tokenFile, Date.now()),
    ...(pluginToken === undefined ? [] : [checkToken(pluginToken.file, Date.now(), 'plugin')]),
    await checkLogSocket(logSocket),
    checkServing(serving),
    ...checkAmbient(config.ambient, serving),
    await checkAgent(healthPort),
    ...checkUpgrade(serving),
    ...config.warnings.map((detail): Check => ({ name: 'setting', state: 'warn', subject: '', detail })),
  ]
  const healthy = checks.every(({ state }) => state !== 'fail')
  const node = values.kubernetesNodeName || values.nodeName || undefined
  const ambient = serving !== undefined && 'status' in serving ? serving.status.ambient : undefined
  io.stdout(json ? jsonText({ healthy, node, checks, runtimes, ambient }) : report(checks, healthy, node, io))
  return healthy ? 0 : 1
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function report(checks: readonly Check[], healthy: boolean, node: string | undefined, io: CommandIo): string {
  const verdict = healthy ? paint(io, 'green', 'healthy') : paint(io, 'red', 'not healthy')
  const lines = checks.map(({ name, state, subject, detail }) => {
    const text = printable([subject, detail].filter((one) => one !== undefined && one !== '').join(': '))
    return `  ${paint(io, COLOURS[state], state.padEnd(5))} ${name.padEnd(11)} ${text}\n`
  })
  const steps = [...new Set(checks.flatMap(({ next }) => next ?? []))].map((next) => `  - ${next}\n`)
  const todo = steps.length === 0 ? '' : `what to look at:\n${steps.join('')}`
  return `istio-cni on ${escapeUnsafe(node ?? 'this node')}: ${verdict}\n${lines.join('')}${todo}`
}
