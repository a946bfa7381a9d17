import { notHere } from '../errors.ts'

export interface NetworkAddress {
  readonly address: string
  readonly netmask: string
  readonly family: 'IPv4' | 'IPv6'
  readonly mac: string
  readonly internal: boolean
  readonly cidr: string
}

export function interfaces(): Record<string, NetworkAddress[]> {
  throw notHere('os.networkInterfaces')
}
