/** A verb and a resource that a role may grant. */
export type Grant =
  | 'list pods'
  | 'watch pods'
  | 'list namespaces'
  | 'watch namespaces'
  | 'delete pods'
  | 'patch pods/status'
  | 'create events'
  | 'patch events'
  | 'get daemonsets'
  | 'get nodes'
  | 'create serviceaccounts/token'
