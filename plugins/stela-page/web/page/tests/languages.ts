/** The words of every language, as translators wrote them. */

import ar from "../../words/ar.json";
import de from "../../words/de.json";
import en from "../../words/en.json";
import es from "../../words/es.json";
import fr from "../../words/fr.json";
import hi from "../../words/hi.json";
import id from "../../words/id.json";
import ja from "../../words/ja.json";
import ko from "../../words/ko.json";
import pt from "../../words/pt.json";
import ru from "../../words/ru.json";
import tr from "../../words/tr.json";
import vi from "../../words/vi.json";
import zh from "../../words/zh.json";
import type { Language, Words } from "../words";

export const LANGUAGES: Record<Language, Words> = { ar, de, en, es, fr, hi, id, ja, ko, pt, ru, tr, vi, zh };
