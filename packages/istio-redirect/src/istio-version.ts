/** Version of Istio whose CNI plugin, node agent, rules and flags this package replaces. */
export const ISTIO_VERSION = '1.30.3'
