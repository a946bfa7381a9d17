/** Attachment records of earlier plugin versions. The plugin must read them during an upgrade. */
export const RECORDS_OF_VERSION_1 = {
  name: '91a0340ca572a97ad723e497c5838f50.json',
  key: { network: 'pods', containerID: 'container-1', ifName: 'eth0' },
  /**
   * Record of a dual-stack pod with `excludeInboundPorts: "22,9000"` and `excludeOutboundIPRanges:
   * "10.9.0.0/16,fd09::/16"`.
   */
  redirect:
    '{"v":1,"netns":{"dev":4,"ino":4026532177},"families":["ipv4","ipv6"],"rules":{"ipv6":true,"interceptionMode":"REDIRECT","proxyPort":15001,"inboundCapturePort":15006,"inboundTunnelPort":15008,"proxyUIDs":[1337],"proxyGIDs":[1337],"tproxyMark":1337,"tproxyRouteTable":133,"includeInboundPorts":"*","excludeInboundPorts":[22,9000,15020,15021,15090],"includeOutboundPorts":[],"excludeOutboundPorts":[15020],"includeOutboundIPRanges":"*","excludeOutboundIPRanges":{"ipv4":["10.9.0.0/16"],"ipv6":["fd09::/16"]},"excludeInterfaces":[],"rerouteVirtualInterfaces":[],"ownerGroups":{"mode":"all-except","groups":[]},"dns":"none","dropInvalid":false,"loopbackCidr":"127.0.0.1/32"},"tproxy":null,"applied":true,"backend":"nft","network":"pods","containerID":"container-1","ifName":"eth0"}\n',
  /** Record of a dual-stack pod with `interceptionMode: TPROXY`. */
  tproxy:
    '{"v":1,"netns":{"dev":4,"ino":4026532246},"families":["ipv4","ipv6"],"rules":{"ipv6":true,"interceptionMode":"TPROXY","proxyPort":15001,"inboundCapturePort":15006,"inboundTunnelPort":15008,"proxyUIDs":[1337],"proxyGIDs":[1337],"tproxyMark":1337,"tproxyRouteTable":133,"includeInboundPorts":"*","excludeInboundPorts":[15020,15021,15090],"includeOutboundPorts":[],"excludeOutboundPorts":[15020],"includeOutboundIPRanges":"*","excludeOutboundIPRanges":{"ipv4":[],"ipv6":[]},"excludeInterfaces":[],"rerouteVirtualInterfaces":[],"ownerGroups":{"mode":"all-except","groups":[]},"dns":"none","dropInvalid":false,"loopbackCidr":"127.0.0.1/32"},"tproxy":{"mark":1337,"table":133},"applied":true,"backend":"nft","network":"pods","containerID":"container-1","ifName":"eth0"}\n',
} as const
