/** An audit policy of the API server. It logs only the requests of one user, without bodies. */
export const auditPolicy = (user: string): string =>
  JSON.stringify({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [{ level: 'Metadata', users: [user] }, { level: 'None' }],
  })
