/**
 * Keep a chained CNI plugin installed on a node: binaries, conflist and kubeconfig, watched and healed.
 *
 * @module
 */
export {}
