/** The version of Istio whose plugin, agent, rules and flags these stand in for. */
export const ISTIO_VERSION = '1.30.3'
