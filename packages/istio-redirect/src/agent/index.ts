/**
 * Node agent as functions for programs: the command `install-cni`, or ambient mode alone.
 *
 * @example
 * ```ts
 * import { type AmbientConfig, startAmbient } from '@cni/istio-redirect/agent'
 *
 * export async function run(config: AmbientConfig, server: string) {
 *   const folder = '/var/run/secrets/kubernetes.io/serviceaccount'
 *   const api = { server, tokenFile: `${folder}/token`, caFile: `${folder}/ca.crt`, namespace: 'istio-system' }
 *   return startAmbient({ config, api, log: console })
 * }
 * ```
 *
 * @module
 */

export type { Backend } from '../backend.ts'
export { type StartAmbientOptions, type StartedAmbient, startAmbient } from './ambient/ambient-alone.ts'
export type { AmbientConfig } from './config/ambient-config.ts'
export type { LogWriter } from './log/agent-log.ts'
export type { LogEntry } from './log/format.ts'
export { type AgentIo, runInstallCni } from './run-install-cni.ts'
export type { AmbientStatus } from './serve/ambient-status.ts'
