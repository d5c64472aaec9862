/** An invented team: its names in the languages of the page, and its strength, around 0. */
export type Team = { id: string; th: string; la: string; en: string; strength: number };

export type League = { th: string; la: string; en: string; teams: readonly Team[] };

const team = (id: string, strength: number, th: string, la: string, en: string): Team => ({
  id,
  th,
  la,
  en,
  strength,
});

/** Invented leagues, each with an even number of teams. Even matches are played in the first, odd ones in the second. */
export const LEAGUES: readonly [League, League] = [
  {
    th: 'ลีกสายน้ำ',
    la: 'ລີກສາຍນ້ຳ',
    en: 'River League',
    teams: [
      team('wan', 0.32, 'เรือยาวบางหวาน', 'ເຮືອຊ່ວງບາງຫວານ', 'Bang Wan Boats'),
      team('kham', 0.24, 'โขลงคำแสง', 'ໂຂງຊ້າງຄຳແສງ', 'Kham Saeng Tuskers'),
      team('phloi', 0.1, 'ว่าวทุ่งพลอย', 'ວ່າວທົ່ງພອຍ', 'Thung Phloi Kites'),
      team('khao', 0.18, 'พายุหินขาว', 'ພາຍຸຫີນຂາວ', 'Hin Khao Storm'),
      team('kaeo', 0.02, 'ดาบคู่เวียงแก้ว', 'ດາບຄູ່ວຽງແກ້ວ', 'Wiang Kaeo Blades'),
      team('nuan', -0.08, 'หิ่งห้อยคลองนวล', 'ຫິ່ງຫ້ອຍຄອງນວນ', 'Khlong Nuan Glow'),
      team('mok', 0.06, 'นกเงือกเขาหมอก', 'ນົກກົກພູໝອກ', 'Khao Mok Hornbills'),
      team('ngoen', -0.2, 'นาเกลือปากเงิน', 'ນາເກືອປາກເງິນ', 'Pak Ngoen Salters'),
      team('saen', -0.14, 'ใบตาลหนองแสน', 'ໃບຕານໜອງແສນ', 'Nong Saen Palms'),
      team('bueng', -0.26, 'จระเข้บึงใส', 'ແຂ້ບຶງໃສ', 'Bueng Sai Crocs'),
      team('rung', -0.02, 'ตะวันภูรุ้ง', 'ຕາເວັນພູຮຸ້ງ', 'Phu Rung Suns'),
      team('son', -0.32, 'ระฆังไพรสน', 'ລະຄັງໄພສົນ', 'Phrai Son Bells'),
    ],
  },
  {
    th: 'ถ้วยขอบฟ้า',
    la: 'ຂັນຂອບຟ້າ',
    en: 'Horizon Cup',
    teams: [
      team('verrin', 0.28, 'พอร์ตเวอร์ริน', 'ພອດເວີຣິນ', 'Port Verrin'),
      team('aldmoor', 0.16, 'อัลด์มัวร์', 'ອານມົວ', 'Aldmoor'),
      team('casterby', -0.06, 'คาสเตอร์บี', 'ຄາສເຕີບີ', 'Casterby'),
      team('torvale', 0.04, 'ทอร์เวล', 'ທໍເວວ', 'Torvale'),
      team('linden', -0.18, 'ลินเดนเฮา', 'ລິນເດັນເຮົາ', 'Lindenhau'),
      team('orlen', 0.22, 'ซังต์ออร์เลน', 'ຊັງອໍເລັນ', 'Sankt Orlen'),
      team('valmora', 0.34, 'วัลโมรา', 'ວານໂມຣາ', 'Valmora'),
      team('calvera', 0.08, 'กัลเบรา', 'ການເບຣາ', 'Calbera'),
      team('akanezu', -0.1, 'อากาเนซุ', 'ອາກາເນຊຸ', 'Akanezu'),
      team('drachen', -0.24, 'ดราเคินเวียร์', 'ດຣາເຄັນເວຍ', 'Drachenwehr'),
      team('luzera', 0, 'ลูเซรา', 'ລູເຊຣາ', 'Luzera'),
      team('norrham', -0.3, 'นอร์ฮัมมาร์', 'ນໍຮຳມາ', 'Norrhammar'),
    ],
  },
];
