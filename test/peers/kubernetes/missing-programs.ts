import { findExecutable } from '@cni/host'
import { HELM } from '../../../packages/istio-redirect/test/chart/manifest.ts'
import { peer } from '../peers.ts'

const { file, missing: noServer } = peer('kube-apiserver')
const etcd = findExecutable('etcd')

/** Reason why the tests cannot start a real API server with the chart's objects; `undefined` if they can. */
export const missing =
  noServer ??
  (etcd === undefined ? 'needs etcd (etcd-server)' : HELM === undefined ? 'needs helm on the PATH' : undefined)

/** Users of the API server for the agents under test. Each user has the permissions of one repair mode. */
export const users = ['agent-repair', 'agent-delete', 'agent-label', 'theirs-delete', 'theirs-label']

/** Programs and users with which the tests start a real API server. */
export const programs = { apiserver: file, etcd: etcd ?? '', users }
