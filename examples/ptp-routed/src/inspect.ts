import type { NewAddress, NewRoute, RtnlPort, SysctlPort } from '@cni/netns'

/** Compares one end of a veth pair with the wanted addresses and routes. Returns a sentence for each difference. */
export async function missingIn(
  where: string,
  rtnl: RtnlPort,
  link: string,
  wanted: { readonly addresses: readonly NewAddress[]; readonly routes: readonly NewRoute[] },
): Promise<string[]> {
  const found = await rtnl.getLink(link)
  if (found === undefined) return [`${where}: there is no ${link}`]
  const addresses = (await rtnl.getAddresses({ link })).map(({ cidr }) => cidr)
  const routes = await rtnl.getRoutes({ link })
  const isThere = ({ cidr, gateway }: NewRoute): boolean =>
    routes.some((route) => route.cidr === cidr && route.gateway === (gateway ?? undefined))
  return [
    ...(found.kind === 'veth' ? [] : [`${where}: ${link} is no veth`]),
    ...(found.up ? [] : [`${where}: ${link} is down`]),
    ...wanted.addresses
      .filter(({ cidr }) => !addresses.includes(cidr))
      .map(({ cidr }) => `${where}: no ${cidr} on ${link}`),
    ...wanted.routes.filter((route) => !isThere(route)).map((route) => `${where}: no route to ${routeText(route)}`),
  ]
}

/** Compares sysctls with the expected values. Returns a sentence for each difference. */
export async function otherSettings(
  settings: SysctlPort,
  wanted: readonly (readonly [name: string, value: string])[],
): Promise<string[]> {
  const found = await Promise.all(wanted.map(async ([name, value]) => ({ name, value, is: await settings.get(name) })))
  return found
    .filter(({ value, is }) => value !== is)
    .map(({ name, value, is }) => `pod: ${name} is ${is}, not ${value}`)
}

const routeText = ({ cidr, gateway, link }: NewRoute): string => `${cidr}${gateway ? ` via ${gateway}` : ''} on ${link}`
