/**
 * Nftables tables that Istio's native mode can create, of family `inet`. Each configuration uses only some of the
 * tables.
 */
export const tableNames: readonly string[] = ['istio-proxy-nat', 'istio-proxy-mangle', 'istio-proxy-raw']
