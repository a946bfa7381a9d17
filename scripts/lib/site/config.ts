import type { DefaultTheme, UserConfig } from 'vitepress'
import { slugify } from '../markdown.ts'
import type { Group, Page } from './pages.ts'

/** A module of the API reference: import name and address of its page. */
export type ApiModule = { name: string; route: string }

/** VitePress configuration of the site. */
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
    // Headings have the same anchors as on GitHub.
    markdown: { anchor: { slugify } },
    themeConfig: {
      nav: [
        { text: 'Guide', link: '/guide/' },
        { text: 'Packages', link: address('packages/skel') },
        // Marks the playground's link: the browser loads this page directly, because the page is not part of VitePress.
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
