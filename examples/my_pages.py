"""A traffic model of one's own: readers of a news site, some of whom read faster than others.

A front page and articles take turns. See docs/how-to/own-traffic-model.md; in a scenario:

    [users]
    per_side = 30
    model = { model = "my_pages.py:News", pictures = 12 }
"""

from aqmlab.models import Object, Page, TrafficModel, parameter


class News(TrafficModel):
    """Readers of a news site: a front page with pictures, then an article, and again."""

    pictures: int = parameter(12, "Pictures on the front page.", least=0, most=1000)
    picture_bytes: float = parameter(30_000.0, "Median bytes of a picture.", least=1, most=1e7)
    reading_s: float = parameter(30.0, "Mean time for which an article is read.", least=0.1, most=3600)

    def page(self, number, draws):
        pace = 0.5 + draws.of_user().uniform()  # the same on each of her pages
        if number % 2 == 0:
            sizes = draws.named("pictures")
            pictures = [
                Object(1 + int(min(sizes.lognormal(self.picture_bytes, 0.8), 1e8)), host=1)
                for _ in range(self.pictures)
            ]
            return Page([Object(20_000), *pictures], think_s=5.0 * pace)
        return Page([Object(60_000)], think_s=0.001 + draws.exponential(self.reading_s * pace))
