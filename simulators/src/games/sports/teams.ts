/** An invented team: its names in the languages of the page, and its strength (average 0). */
export type Team = { id: string; th: string; la: string; en: string; strength: number };

export type League = { th: string; la: string; en: string; teams: readonly Team[] };

const teamOf = (id: string, strength: number, th: string, la: string, en: string): Team => ({
  id,
  th,
  la,
  en,
  strength,
});

/**
 * Invented leagues, each with an even number of teams. Even match numbers are of the first league, odd ones of the
 * second.
 */
export const LEAGUES: readonly [League, League] = [
  {
    th: 'ลีกสายน้ำ',
    la: 'ລີກສາຍນ້ຳ',
    en: 'River League',
    teams: [
      teamOf('wan', 0.32, 'เรือยาวบางหวาน', 'ເຮືອຊ່ວງບາງຫວານ', 'Bang Wan Boats'),
      teamOf('kham', 0.24, 'โขลงคำแสง', 'ໂຂງຊ້າງຄຳແສງ', 'Kham Saeng Tuskers'),
      teamOf('phloi', 0.1, 'ว่าวทุ่งพลอย', 'ວ່າວທົ່ງພອຍ', 'Thung Phloi Kites'),
      teamOf('khao', 0.18, 'พายุหินขาว', 'ພາຍຸຫີນຂາວ', 'Hin Khao Storm'),
      teamOf('kaeo', 0.02, 'ดาบคู่เวียงแก้ว', 'ດາບຄູ່ວຽງແກ້ວ', 'Wiang Kaeo Blades'),
      teamOf('nuan', -0.08, 'หิ่งห้อยคลองนวล', 'ຫິ່ງຫ້ອຍຄອງນວນ', 'Khlong Nuan Glow'),
      teamOf('mok', 0.06, 'นกเงือกเขาหมอก', 'ນົກກົກພູໝອກ', 'Khao Mok Hornbills'),
      teamOf('ngoen', -0.2, 'นาเกลือปากเงิน', 'ນາເກືອປາກເງິນ', 'Pak Ngoen Salters'),
      teamOf('saen', -0.14, 'ใบตาลหนองแสน', 'ໃບຕານໜອງແສນ', 'Nong Saen Palms'),
      teamOf('bueng', -0.26, 'จระเข้บึงใส', 'ແຂ້ບຶງໃສ', 'Bueng Sai Crocs'),
      teamOf('rung', -0.02, 'ตะวันภูรุ้ง', 'ຕາເວັນພູຮຸ້ງ', 'Phu Rung Suns'),
      teamOf('son', -0.32, 'ระฆังไพรสน', 'ລະຄັງໄພສົນ', 'Phrai Son Bells'),
    ],
  },
  {
    th: 'ถ้วยขอบฟ้า',
    la: 'ຂັນຂອບຟ້າ',
    en: 'Horizon Cup',
    teams: [
      teamOf('verrin', 0.28, 'พอร์ตเวอร์ริน', 'ພອດເວີຣິນ', 'Port Verrin'),
      teamOf('aldmoor', 0.16, 'อัลด์มัวร์', 'ອານມົວ', 'Aldmoor'),
      teamOf('casterby', -0.06, 'คาสเตอร์บี', 'ຄາສເຕີບີ', 'Casterby'),
      teamOf('torvale', 0.04, 'ทอร์เวล', 'ທໍເວວ', 'Torvale'),
      teamOf('linden', -0.18, 'ลินเดนเฮา', 'ລິນເດັນເຮົາ', 'Lindenhau'),
      teamOf('orlen', 0.22, 'ซังต์ออร์เลน', 'ຊັງອໍເລັນ', 'Sankt Orlen'),
      teamOf('valmora', 0.34, 'วัลโมรา', 'ວານໂມຣາ', 'Valmora'),
      teamOf('calvera', 0.08, 'กัลเบรา', 'ການເບຣາ', 'Calbera'),
      teamOf('akanezu', -0.1, 'อากาเนซุ', 'ອາກາເນຊຸ', 'Akanezu'),
      teamOf('drachen', -0.24, 'ดราเคินเวียร์', 'ດຣາເຄັນເວຍ', 'Drachenwehr'),
      teamOf('luzera', 0, 'ลูเซรา', 'ລູເຊຣາ', 'Luzera'),
      teamOf('norrham', -0.3, 'นอร์ฮัมมาร์', 'ນໍຮຳມາ', 'Norrhammar'),
    ],
  },
];
