/** A team that nobody has ever heard of: its names in the two languages of the page, and how strong it is around 0. */
export type Team = { id: string; th: string; en: string; strength: number };

export type League = { th: string; en: string; teams: readonly Team[] };

const team = (id: string, strength: number, th: string, en: string): Team => ({ id, th, en, strength });

/** Invented leagues, each with an even number of teams. Even matches are played in the first, odd ones in the second. */
export const LEAGUES: readonly [League, League] = [
  {
    th: 'ลีกสายน้ำ',
    en: 'River League',
    teams: [
      team('wan', 0.32, 'เรือยาวบางหวาน', 'Bang Wan Boats'),
      team('kham', 0.24, 'โขลงคำแสง', 'Kham Saeng Tuskers'),
      team('phloi', 0.1, 'ว่าวทุ่งพลอย', 'Thung Phloi Kites'),
      team('khao', 0.18, 'พายุหินขาว', 'Hin Khao Storm'),
      team('kaeo', 0.02, 'ดาบคู่เวียงแก้ว', 'Wiang Kaeo Blades'),
      team('nuan', -0.08, 'หิ่งห้อยคลองนวล', 'Khlong Nuan Glow'),
      team('mok', 0.06, 'นกเงือกเขาหมอก', 'Khao Mok Hornbills'),
      team('ngoen', -0.2, 'นาเกลือปากเงิน', 'Pak Ngoen Salters'),
      team('saen', -0.14, 'ใบตาลหนองแสน', 'Nong Saen Palms'),
      team('bueng', -0.26, 'จระเข้บึงใส', 'Bueng Sai Crocs'),
      team('rung', -0.02, 'ตะวันภูรุ้ง', 'Phu Rung Suns'),
      team('son', -0.32, 'ระฆังไพรสน', 'Phrai Son Bells'),
    ],
  },
  {
    th: 'ถ้วยขอบฟ้า',
    en: 'Horizon Cup',
    teams: [
      team('verrin', 0.28, 'พอร์ตเวอร์ริน', 'Port Verrin'),
      team('aldmoor', 0.16, 'อัลด์มัวร์', 'Aldmoor'),
      team('casterby', -0.06, 'คาสเตอร์บี', 'Casterby'),
      team('torvale', 0.04, 'ทอร์เวล', 'Torvale'),
      team('linden', -0.18, 'ลินเดนเฮา', 'Lindenhau'),
      team('orlen', 0.22, 'ซังต์ออร์เลน', 'Sankt Orlen'),
      team('valmora', 0.34, 'วัลโมรา', 'Valmora'),
      team('calvera', 0.08, 'กัลเบรา', 'Calbera'),
      team('akanezu', -0.1, 'อากาเนซุ', 'Akanezu'),
      team('drachen', -0.24, 'ดราเคินเวียร์', 'Drachenwehr'),
      team('luzera', 0, 'ลูเซรา', 'Luzera'),
      team('norrham', -0.3, 'นอร์ฮัมมาร์', 'Norrhammar'),
    ],
  },
];
