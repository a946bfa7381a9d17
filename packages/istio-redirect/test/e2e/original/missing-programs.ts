import { findExecutable } from '@cni/host'
import { HELM } from '../../chart/manifest.ts'
import { peer } from './peers.ts'

const { file, missing: noServer } = peer('kube-apiserver')
const etcd = findExecutable('etcd')

/** Why there can be no real API server with the chart's objects. */
export const missing =
  noServer ??
  (etcd === undefined ? 'needs etcd (etcd-server)' : HELM === undefined ? 'needs helm on the PATH' : undefined)

/** The agents of these tests, each with rights of its own. */
export const users = ['agent-repair', 'agent-delete', 'agent-label', 'theirs-delete', 'theirs-label']

/** What {@link missing} does not miss. */
export const programs = { apiserver: file, etcd: etcd ?? '', users }
