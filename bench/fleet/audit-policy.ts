/** A policy that logs the requests of one user, without their bodies, and no other request. */
export const auditPolicy = (user: string): string =>
  JSON.stringify({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [{ level: 'Metadata', users: [user] }, { level: 'None' }],
  })
