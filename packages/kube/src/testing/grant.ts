/** Permission of the test API server's token: a verb on a resource, as in a Kubernetes role. */
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
