package io.indexview.views.definition;

import io.indexview.views.definition.ViewValidator.Findings;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** What can be honoured where a generic Connect sink writes rows by their keys. */
final class ConnectTargetRules {
  private ConnectTargetRules() {}

  static void check(ViewDefinition definition, Findings findings) {
    if (definition.nulls() == ViewDefinition.Nulls.INDEX) {
      findings.add(
          "nulls",
          "index",
          "gives rows keys with null, which tables refuse; include the field instead, or remove it");
    }
    if (definition.naming() == ViewDefinition.Naming.HASH) {
      findings.add("naming", "hash", "the sink names the rows' place; remove naming");
    }
    if (definition.shardKey() != null && definition.kind() == ViewDefinition.Kind.INDEX) {
      findings.add("shardKey", "", "has no meaning to a generic Connect sink; remove it");
    }
    if (definition.kind() == ViewDefinition.Kind.DOCUMENT && !definition.key().isEmpty()) {
      findings.add(
          "key",
          definition.key(),
          "a document is found by its primary key here; use kind: index, or include the fields");
    }
  }

  /** Whether there is such a target. */
  static void checkKnown(Target.Connect target, Collection<String> known, Findings findings) {
    if (!known.contains(target.type())) {
      List<String> all = Stream.concat(Target.OWN.stream(), known.stream().sorted()).toList();
      findings.add(
          "target",
          target.type(),
          "no such target; %s; the app's connect.targets names others"
              .formatted(Suggestions.remedy(target.type(), all)));
    }
  }
}
