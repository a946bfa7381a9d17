import { findExecutable } from '@cni/host'
import { HELM } from '../../chart/manifest.ts'
import { peer } from './peers.ts'

const { file, missing: noServer } = peer('kube-apiserver')
const etcd = findExecutable('etcd')

/** The reason why no real API server with the chart's objects can be started; `undefined` if it can. */
export const missing =
  noServer ??
  (etcd === undefined ? 'needs etcd (etcd-server)' : HELM === undefined ? 'needs helm on the PATH' : undefined)

/** Users of the agents of these tests, each with rights of its own. */
export const users = ['agent-repair', 'agent-delete', 'agent-label', 'theirs-delete', 'theirs-label']

/** The programs and users of a real API server. */
export const programs = { apiserver: file, etcd: etcd ?? '', users }
