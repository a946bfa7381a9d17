/** Network with the plugin `bridge` and address leases in the given folder. */
export const bridged = (leases: string, more: readonly object[] = []) => ({
  cniVersion: '1.0.0',
  name: 'bridged',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni-e2e0',
      isGateway: true,
      ipam: {
        type: 'host-local',
        dataDir: leases,
        ranges: [[{ subnet: '10.123.0.0/24' }], [{ subnet: 'fd00:123::/64' }]],
        routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
      },
    },
    ...more,
  ],
})

/** Network configuration list with the plugin `ptp` (a veth pair) and a static address. */
export const pointToPoint = {
  cniVersion: '1.0.0',
  name: 'ptp',
  plugins: [
    { type: 'ptp', ipam: { type: 'static', addresses: [{ address: '10.124.0.2/24', gateway: '10.124.0.1' }] } },
  ],
}

/** Network configuration list for the loopback interface. */
export const loopback = { cniVersion: '1.0.0', name: 'lo', plugins: [{ type: 'loopback' }] }
