import type { Grant } from '@cni/kube/testing'

const watching = ['list pods', 'watch pods'] as const
const events = ['create events', 'patch events'] as const

/** Permissions that the node agent's role needs, for each mode of the repair controller. */
export const repairGrants = {
  repair: [...watching],
  delete: [...watching, ...events, 'delete pods'],
  label: [...watching, ...events, 'patch pods/status'],
} as const satisfies Readonly<Record<string, readonly Grant[]>>

/** Permissions that the node agent's role needs for ambient mode. */
export const ambientGrants: readonly Grant[] = [
  ...watching,
  'list namespaces',
  'watch namespaces',
  'patch pods/status',
  'get daemonsets',
  'get nodes',
]
