import type { DefaultTheme, UserConfig } from 'vitepress'
import { slugify } from '../markdown.ts'
import type { Group, Page } from './pages.ts'

/** An entry of a package in the API reference: its import name and the address of its page. */
export type ApiModule = { name: string; route: string }

/** VitePress configuration of the documentation site. */
export function siteConfig(
  pages: readonly Page[],
  modules: readonly ApiModule[],
  repository: string,
): UserConfig<DefaultTheme.Config> {
  const group = (wanted: Group): DefaultTheme.SidebarItem[] =>
    pages.filter((page) => page.group === wanted).map(({ title, route }) => ({ text: title, link: address(route) }))
  const sidebar = [
    { text: 'Guide', items: group('guide') },
    { text: 'Packages', collapsed: true, items: group('packages') },
    { text: 'Examples', collapsed: true, items: group('examples') },
    {
      text: 'API reference',
      collapsed: true,
      items: modules.map(({ name, route }) => ({ text: name, link: address(route) })),
    },
    { text: 'Project', collapsed: true, items: group('project') },
  ]
  return {
    title: 'cni-ts',
    description: 'Chained CNI plugins in TypeScript',
    lang: 'en',
    cleanUrls: false,
    // Gives headings the same anchors as on GitHub, because links must work on GitHub and on the site.
    markdown: { anchor: { slugify } },
    themeConfig: {
      nav: [
        { text: 'Guide', link: '/guide/' },
        { text: 'Packages', link: address('packages/skel') },
        // `target` makes VitePress's router ignore the link, because VitePress does not build the playground.
        { text: 'Playground', link: '/playground.html', target: '_self' },
        { text: 'API', link: address(modules[0]?.route ?? 'guide/index') },
      ],
      sidebar,
      outline: [2, 3],
      search: { provider: 'local' },
      socialLinks: [{ icon: 'github', link: repository }],
      docFooter: { prev: 'Before', next: 'Next' },
    },
  }
}

const address = (route: string) => `/${route.replace(/(^|\/)index$/, '$1')}`
