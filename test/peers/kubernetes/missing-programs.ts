import { findExecutable } from '@cni/host'
import { HELM } from '../../../packages/istio-redirect/test/chart/manifest.ts'
import { peer } from '../peers.ts'

const { file, missing: noFile } = peer('kube-apiserver')
const etcd = findExecutable('etcd')

/** Reason why the tests cannot start a real API server; `undefined` if they can. */
export const noServer = noFile ?? (etcd === undefined ? 'needs etcd (etcd-server)' : undefined)

/** Reason why the tests cannot start a real API server with the chart's objects; `undefined` if they can. */
export const missing = noServer ?? (HELM === undefined ? 'needs helm on the PATH' : undefined)

/** Programs with which the tests start a real API server. Each of its users has the permissions of one repair mode. */
export const programs = {
  apiserver: file,
  etcd: etcd ?? '',
  users: ['agent-repair', 'agent-delete', 'agent-label', 'theirs-delete', 'theirs-label'],
}
