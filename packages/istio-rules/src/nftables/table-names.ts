/** Tables of Istio's native mode, all of the family `inet`. A configuration uses some of them. */
export const tableNames: readonly string[] = ['istio-proxy-nat', 'istio-proxy-mangle', 'istio-proxy-raw']
