package io.indexview.views.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.docs.ComputedPage;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The blocks after the views of docs/views.md hold what the code makes of them. */
class ViewGuideTest {
  private static final Pattern SCHEMA = Pattern.compile("```avsc\\n(.+?)```\\n", Pattern.DOTALL);
  private static final Pattern RECORDS = Pattern.compile("```json\\n(.+?)```\\n", Pattern.DOTALL);
  private static final Pattern VIEW =
      Pattern.compile(
          "(```yaml(?<bad> bad)?\\n(?<view>.+?)```\\n(?:\\n[^`].*?\\n\\n)?)```text\\n(?:.*?)```\\n",
          Pattern.DOTALL);

  @Test
  void showsRowsAndErrorsAsTheyAre() throws Exception {
    ComputedPage page = new ComputedPage("views.md", getClass().getSimpleName());
    String text = page.read();
    Examples examples = new Examples(first(SCHEMA, text), first(RECORDS, text));
    Matcher views = VIEW.matcher(text);

    assertThat(views.results()).hasSizeGreaterThan(5);
    page.verify(views.replaceAll(view -> Matcher.quoteReplacement(computed(examples, view))));
  }

  private static String first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as("a block of %s", pattern).isTrue();
    return matcher.group(1);
  }

  private static String computed(Examples examples, MatchResult view) {
    String definition = view.group(3);
    String result =
        view.group(2) == null ? examples.rows(definition) : examples.problems(definition);
    return view.group(1) + "```text\n" + result + "\n```\n";
  }
}
