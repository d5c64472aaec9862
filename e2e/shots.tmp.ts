import { chromium } from '@playwright/test';
import { newMember } from './support/member.ts';
const out='/tmp/u1/shots'; 
const base=process.env.KRAPAO_URL!;
const browser=await chromium.launch({executablePath:'/usr/bin/chromium',args:['--no-sandbox','--disable-gpu','--disable-quic']});
const member=await newMember();
const sizes={phone:{width:390,height:844},desk:{width:1280,height:800}};
const lookup=await (await fetch(base+'/api/lookup/deposit')).json();
lookup.isManual=true;
if(lookup.wallets.length===0) lookup.wallets=[{mode:'AUTO',walletAccountName:'KRAPAO CO LTD',walletAccountNo:'0801234567'},{mode:'LINK',walletAccountName:'',walletAccountNo:''}];
const langs=(process.env.LANGS??'th').split(',');
for(const lang of langs) for(const [name,viewport] of Object.entries(sizes)){
  const ctx=await browser.newContext({viewport,hasTouch:name==='phone',isMobile:name==='phone',extraHTTPHeaders:{'x-forwarded-for':'10.9.8.'+Math.floor(Math.random()*250)}});
  const page=await ctx.newPage();
  page.on('pageerror',e=>console.log('ERR',e.message)); page.on('console',m=>m.type()==='error'&&console.log('CON',m.text()));
  await page.goto(base+'/no-such-page');
  await page.evaluate(([t,l])=>{localStorage.setItem('token',t);localStorage.setItem('locale',l)},[member.token,lang]);
  await page.route('**/api/lookup/deposit',r=>r.fulfill({json:lookup}));
  let n=0; const shot=async(s)=>{n++;await page.waitForTimeout(450);await page.screenshot({path:`${out}/${lang}-${name}-${String(n).padStart(2,'0')}-${s}.png`,animations:'disabled'});};
  await page.goto(base+'/user/home');
  await page.waitForTimeout(2200);
  await page.getByRole('dialog').getByRole('button').last().click();
  await page.waitForTimeout(300);
  const open=async()=>{await page.locator('[role=group] button').first().click();await page.getByRole('dialog').getByRole('navigation').waitFor();};
  await open();
  await shot('list');
  const nav=page.getByRole('dialog').getByRole('navigation').getByRole('button');
  const count=await nav.count();
  const back=async()=>{ if(name==='phone'){ await page.getByRole('dialog').getByRole('button').nth(1).click(); await nav.first().waitFor(); } };
  if(name==='phone'){await page.getByRole('dialog').locator('div.overflow-y-auto').first().evaluate(e=>e.scrollTo(0,9999));await shot('list-end');}
  for(let i=0;i<count;i++){
    await nav.nth(i).click(); await shot('way'+i);
    const sc=page.getByRole('dialog').locator('div.overflow-y-auto').first();
    if(await sc.evaluate(e=>e.scrollHeight>e.clientHeight+8)){await sc.evaluate(e=>e.scrollTo(0,9999));await shot('way'+i+'-end');}
    await back();
  }
  await ctx.close();
}
await browser.close();
